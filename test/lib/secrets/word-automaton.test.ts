import { expect, test } from 'bun:test'
import { WordAutomaton } from '#lib/secrets/word-automaton.ts'

const WORDS = ['key', 'apikey', 'eyj', 'token', 'aa', 'aaab', '-----begin', 'ke']

/** Each word with the position after it, as a plain search finds them. */
const expected = (text: string, from = 0): string[] => {
  const folded = text.toLowerCase()
  const found: { word: string; end: number }[] = []
  for (const word of WORDS)
    for (let at = folded.indexOf(word, from); at >= 0; at = folded.indexOf(word, at + 1))
      found.push({ word, end: at + word.length })
  return found.map(({ word, end }) => `${end} ${word}`).toSorted()
}

const scanned = (text: string, from?: number): { found: string[]; ends: number[] } => {
  const found: string[] = []
  const ends: number[] = []
  new WordAutomaton(WORDS).scan(
    Buffer.from(text, 'latin1'),
    (word, end) => {
      found.push(`${end} ${WORDS[word]}`)
      ends.push(end)
      return false
    },
    from,
  )
  return { found, ends }
}

test('words are found in order, also where they overlap and stand across halves and blocks', () => {
  // Pseudo-random texts of the letters of the words, longer than some blocks.
  for (const length of [0, 1, 7, 4096, 8192, 8193, 40_000]) {
    const letters = 'keyapitoknj-b\xe9AK'
    const text = Array.from({ length }, (_, at) => {
      const random = Number(Bun.hash(`${length} ${at}`) % 64n)
      return random < 3 ? (WORDS[random] ?? '') : (letters[random % letters.length] ?? '')
    }).join('')
    const { found, ends } = scanned(text)
    expect(found.toSorted()).toEqual(expected(text))
    expect(ends).toEqual(ends.toSorted((a, b) => a - b))
  }
})

test('a scan of a part finds no word that begins before it, and ends when it is told', () => {
  expect(scanned('apikey token', 3).found.toSorted()).toEqual(expected('apikey token', 3))
  const found: number[] = []
  new WordAutomaton(WORDS).scan(Buffer.from('key token'), (word) => found.push(word) === 1)
  expect(found.length).toBe(1)
})
