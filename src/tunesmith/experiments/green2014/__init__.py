"""Extended features and tuning of Green, Cer and Manning (2014), repeated on data of the user's."""
