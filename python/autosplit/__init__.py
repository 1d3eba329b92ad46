"""A compiler that splits trained models over the processors of one machine.

Nothing heavy is imported here: `import autosplit` costs next to nothing, frameworks are loaded by what
needs them.
"""

__version__ = "0.1.0"
