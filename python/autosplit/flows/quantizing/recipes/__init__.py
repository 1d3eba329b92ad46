"""Recipes in the formats of other tools."""
