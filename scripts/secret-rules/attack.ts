/** Measures a rule on texts that are made to take long. */
import { compileRule, type CompiledRule } from '#lib/secrets/compiled-rule.ts'
import type { SecretRule } from '#lib/secrets/secret-rules.ts'
import { PIECE_BYTES } from '#lib/secrets/file-scan.ts'

export type SlowRule = {
  readonly id: string
  readonly milliseconds: number
  readonly attack: string
}

/** Parts that expressions of rules are made of, alone and after a word of the rule. */
const ATTACK_PARTS = [
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

/** What may follow a gap, whole and in part, on the line of the word and below it. */
const GAP_PARTS = [
  ' -u "a',
  " --user 'a:b",
  ' -u aaa:bbb ',
  '\n-u "aaa:bbb" ',
  ' -H "Authorization: Basic a',
  " --header 'X-Key: aaaaaaaa' ",
  '\n-H "token: aaaaaaaa" ',
  '\n\n',
  '\r\n',
]

export const attackPartsOf = ({ gap }: SecretRule): readonly string[] =>
  gap ? [...ATTACK_PARTS, ...GAP_PARTS] : ATTACK_PARTS

/** Lengths that are tried in turn, so that a rule of cubic time is noticed while it is quick. */
const LENGTHS = [256, 1024, 4096, PIECE_BYTES]
/** A shorter text that takes so long is enough to leave the rule out. */
const MAX_SHORT_MS = 8

/** Other work of the machine makes single measurements long, so the shortest of three counts. */
function shortestTime({ matchAll }: CompiledRule, text: string): number {
  let shortest = Infinity
  for (let round = 0; round < 3 && shortest > MAX_SHORT_MS; round++) {
    const start = performance.now()
    for (const _ of matchAll(text));
    shortest = Math.min(shortest, performance.now() - start)
  }
  return shortest
}

function timeOf(rule: CompiledRule, text: string): number {
  let milliseconds = 0
  for (const length of LENGTHS) {
    milliseconds = shortestTime(rule, text.slice(0, length))
    if (milliseconds > MAX_SHORT_MS) return (milliseconds * PIECE_BYTES) / length
  }
  return milliseconds
}

export function worstTime(rule: SecretRule): SlowRule {
  const compiled = compileRule(rule)
  const fill = (unit: string): string => unit.repeat(Math.ceil(PIECE_BYTES / unit.length))
  let worst: SlowRule = { id: rule.id, milliseconds: 0, attack: '' }
  for (const word of rule.words)
    for (const part of attackPartsOf(rule))
      for (const text of [fill(word + part), word + fill(part)]) {
        const milliseconds = timeOf(compiled, text)
        if (milliseconds > worst.milliseconds)
          worst = { id: rule.id, milliseconds, attack: JSON.stringify(text.slice(0, 40)) }
        if (milliseconds > 1000) return worst
      }
  return worst
}
