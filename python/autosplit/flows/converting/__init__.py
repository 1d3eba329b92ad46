"""What converting is asked for, the sub-models that it reads, and the tables that it writes of them."""
