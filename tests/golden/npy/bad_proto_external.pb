Btj
locationxp