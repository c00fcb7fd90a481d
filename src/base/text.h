/* Text that comes from files and is shown to people. */
#ifndef HST_BASE_TEXT_H
#define HST_BASE_TEXT_H

/** Puts '?' for every byte that is no part of well-formed UTF-8 (RFC 3629) and for every
 * character that could steer a terminal or hide text (controls, direction of writing),
 * except those in `keep`. Returns text. */
char *hst__text_clean(char *text, const char *keep);

#endif
