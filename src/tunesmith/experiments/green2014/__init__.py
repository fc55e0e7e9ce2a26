"""Extended features and tuning of Green, Cer and Manning (2014), repeated on the user's data."""
