/** GitHub's own vectors for expressions (`test/fixtures/actions`), and what they do not ask. */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { evaluate } from '#src/actions/expression.ts'
import type { Json, JsonObject } from '#src/actions/json.ts'

const FOLDER = join(import.meta.dir, '../fixtures/actions/expressions')

type Vector = {
  readonly expr: string
  readonly contexts?: JsonObject
  readonly result?: { readonly value: Json }
  readonly err?: { readonly value: string }
}

/** Asks for an error at 4 MB of text; ours comes at 10 million characters and values. */
const LARGER_BUDGET = 'startswith(format('

const vectors = readdirSync(FOLDER).flatMap((file): Vector[] =>
  Object.values(
    JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Record<string, Vector[]>,
  ).flat(),
)

function outcome({ expr, contexts = {} }: Vector): { value: Json } | { fault: string } {
  try {
    return { value: evaluate(expr, { contexts }) }
  } catch (error) {
    return { fault: (error as Error).message }
  }
}

describe('the vectors of @actions/expressions', () => {
  const asked = vectors.filter(({ expr }) => !expr.startsWith(LARGER_BUDGET))

  test('there are all of them', () => {
    expect(vectors.length).toBe(1_020)
    expect(asked.length).toBe(1_019)
  })

  test('each gives the result or the error that GitHub gives', () => {
    const differences = asked.filter((vector) => {
      const found = outcome(vector)
      if (vector.err) return !('fault' in found) || !found.fault.includes(vector.err.value)
      // As JSON, in which NaN and infinity are null.
      const wanted = JSON.stringify(vector.result?.value)
      return !('value' in found) || JSON.stringify(found.value) !== wanted
    })
    expect(differences).toEqual([])
  })
})
