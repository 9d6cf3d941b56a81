/** Default colors of labels. */

/** Twelve distinct colors, each with enough contrast to carry text. */
const PALETTE = [
  'c9372c',
  'd9730d',
  'b38600',
  '5b8c00',
  '1f845a',
  '0f8a8a',
  '1d7afc',
  '3b5bdb',
  '6e5dc6',
  'ae4787',
  '8b5e3c',
  '626f86',
] as const

/** The default color of a name, equal in all repositories (FNV-1a hash of the lower-case name). */
export function colorOf(name: string): string {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(name.toLowerCase()))
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return PALETTE[hash % PALETTE.length] ?? PALETTE[0]
}

/** The labels of a new repository. */
export const STARTING_LABELS = [
  { name: 'bug', color: 'c9372c', description: 'Something does not work' },
  { name: 'feature', color: '1d7afc', description: 'Something new or better' },
  { name: 'question', color: '6e5dc6', description: 'Something to find out' },
  { name: 'docs', color: '0f8a8a', description: 'Something to explain' },
  { name: 'security', color: 'd9730d', description: 'Something that can be abused' },
  { name: 'good first issue', color: '5b8c00', description: 'Fit for a newcomer' },
] as const
