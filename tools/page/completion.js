// completion
