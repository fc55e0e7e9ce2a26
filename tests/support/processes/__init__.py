"""Child processes: started, waited for, killed."""
