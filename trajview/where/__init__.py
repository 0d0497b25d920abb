"""The filter language: `reward < 0.5 and model ~ gpt`, the same in the browser and on the command line."""
