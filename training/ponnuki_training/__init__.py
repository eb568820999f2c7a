"""Data, training and export of small Go networks in KataGo's file format."""
