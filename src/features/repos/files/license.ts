/**
 * Detects the licence of a text by phrases that occur only in that licence. Identifiers are those
 * of SPDX (https://spdx.org/licenses/).
 */

const LICENSE_FILE_NAME = /^(licen[cs]e|copying|unlicense)([-.](txt|md|rst|mit|apache|bsd|gpl))?$/i

export const isLicenseFile = (name: string): boolean => LICENSE_FILE_NAME.test(name)

/**
 * Tested in this order. A licence that quotes another one must come before the one that it quotes.
 */
const LICENSE_TESTS: readonly (readonly [string, (text: string) => boolean])[] = [
  ['Apache-2.0', (text) => /apache license version 2\.0/.test(text)],
  ['MPL-2.0', (text) => /mozilla public license,? version 2\.0/.test(text)],
  ['AGPL-3.0', (text) => /^\W*gnu affero general public license version 3/.test(text)],
  ['LGPL-3.0', (text) => /^\W*gnu lesser general public license version 3/.test(text)],
  ['LGPL-2.1', (text) => /^\W*gnu lesser general public license version 2\.1/.test(text)],
  ['GPL-3.0', (text) => /^\W*gnu general public license version 3/.test(text)],
  ['GPL-2.0', (text) => /^\W*gnu general public license version 2/.test(text)],
  ['EPL-2.0', (text) => /eclipse public license -? ?v ?2\.0/.test(text)],
  ['BSL-1.0', (text) => /boost software license - version 1\.0/.test(text)],
  ['CC0-1.0', (text) => /cc0 1\.0 universal/.test(text)],
  [
    'Unlicense',
    (text) =>
      text.includes('this is free and unencumbered software released into the public domain'),
  ],
  ['Zlib', (text) => text.includes('altered source versions must be plainly marked as such')],
  [
    '0BSD',
    (text) =>
      text.includes('permission to use, copy, modify, and/or distribute this software') &&
      !text.includes('provided that the above copyright notice'),
  ],
  [
    'ISC',
    (text) =>
      /permission to use, copy, modify, and(\/or)? distribute this software for any purpose/.test(
        text,
      ),
  ],
  [
    'BSD-3-Clause',
    (text) =>
      text.includes('redistribution and use in source and binary forms') &&
      /neither the names? of/.test(text),
  ],
  ['BSD-2-Clause', (text) => text.includes('redistribution and use in source and binary forms')],
  [
    'MIT-0',
    (text) =>
      text.includes('permission is hereby granted, free of charge') &&
      !text.includes('the above copyright notice and this permission notice'),
  ],
  [
    'MIT',
    (text) =>
      text.includes('permission is hereby granted, free of charge') &&
      text.includes('without restriction'),
  ],
]

/** Returns the SPDX identifier; null for a text that is none of these licences. */
export function detectLicense(text: string): string | null {
  const plain = text.toLowerCase().replace(/\s+/g, ' ')
  return LICENSE_TESTS.find(([, matches]) => matches(plain))?.[0] ?? null
}
