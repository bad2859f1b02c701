"""How a user's sentence is read: its mood, by small tables of words for each language, and answers to questions."""
