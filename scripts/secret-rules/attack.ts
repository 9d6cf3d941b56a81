/** Measures a rule on texts that are made to take long. */
import type { SecretRule } from '#lib/secrets/secret-rules.ts'
import { PIECE_BYTES } from '#lib/secrets/file-scan.ts'

export type SlowRule = {
  readonly id: string
  readonly milliseconds: number
  readonly attack: string
}

/** Parts that expressions of rules are made of, alone and after a word of the rule. */
export const ATTACK_PARTS = [
  'a',
  '0',
  'A0',
  ' ',
  '\n',
  '.',
  '-',
  '_',
  '"',
  "'",
  '=',
  ':',
  ' = "',
  '/',
  '{',
  'x:',
  'a.',
  '\t a',
]

/** Lengths that are tried in turn, so that a rule of cubic time is noticed while it is quick. */
const LENGTHS = [256, 1024, 4096, PIECE_BYTES]
/** A shorter text that takes so long is enough to leave the rule out. */
const MAX_SHORT_MS = 8

/** Other work of the machine makes single measurements long, so the shortest of three counts. */
function shortestTime(pattern: RegExp, text: string): number {
  let shortest = Infinity
  for (let round = 0; round < 3 && shortest > MAX_SHORT_MS; round++) {
    const start = performance.now()
    for (const _ of text.matchAll(pattern));
    shortest = Math.min(shortest, performance.now() - start)
  }
  return shortest
}

function timeOf(pattern: RegExp, text: string): number {
  let milliseconds = 0
  for (const length of LENGTHS) {
    milliseconds = shortestTime(pattern, text.slice(0, length))
    if (milliseconds > MAX_SHORT_MS) return (milliseconds * PIECE_BYTES) / length
  }
  return milliseconds
}

export function worstTime(rule: SecretRule): SlowRule {
  const pattern = new RegExp(rule.pattern, 'g')
  const fill = (unit: string): string => unit.repeat(Math.ceil(PIECE_BYTES / unit.length))
  let worst: SlowRule = { id: rule.id, milliseconds: 0, attack: '' }
  for (const word of rule.words)
    for (const part of ATTACK_PARTS)
      for (const text of [fill(word + part), word + fill(part)]) {
        const milliseconds = timeOf(pattern, text)
        if (milliseconds > worst.milliseconds)
          worst = { id: rule.id, milliseconds, attack: JSON.stringify(text.slice(0, 40)) }
        if (milliseconds > 1000) return worst
      }
  return worst
}
