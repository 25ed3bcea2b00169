"""The command line: one file per verb, no logic. Reads flags, calls the library, prints, exits."""
