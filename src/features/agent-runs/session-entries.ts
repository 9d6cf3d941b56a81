/** Entries that the built-in agent writes into the session of its pull request. */
import type { Tx } from '#core/write.ts'
import { appendEntries, findPullById, isSessionFull } from '#features/pulls/index.ts'
import { redactText, redactValue } from '#lib/redact.ts'

const MAX_TEXT_LENGTH = 16_384
const MAX_INPUT_LENGTH = 8_192
const MAX_INPUT_FIELDS = 50

export type SessionEntry = {
  readonly kind: string
  readonly text: string
  readonly tool?: string
  readonly data?: Record<string, unknown>
}

/** Cuts a text without splitting a character. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

/** The first values of a tool's input for the record, each cut. */
export const inputForRecord = (input: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(input)
      .slice(0, MAX_INPUT_FIELDS)
      .map(([name, value]) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value)
        return [name.slice(0, 100), cut(text ?? '', MAX_INPUT_LENGTH / 4)]
      }),
  )

/**
 * Adds entries and returns the number of the last one. Null when the pull request is gone, or its
 * session has no place for them.
 */
export function addEntries(
  tx: Tx,
  { pull_id, author_id }: { pull_id: string; author_id: string | null },
  entries: readonly SessionEntry[],
): number | null {
  const pull = findPullById(tx.db, pull_id)
  if (!pull || entries.length === 0 || isSessionFull(pull, entries.length)) return null
  return appendEntries(
    tx,
    pull,
    entries.map(({ kind, text, tool = null, data = null }) => {
      const plain = redactText(text.toWellFormed().replaceAll('\0', '\uFFFD'))
      const safe = redactValue(data)
      return {
        kind,
        text: cut(plain.text, MAX_TEXT_LENGTH),
        tool,
        at: tx.now,
        author_id,
        sha: pull.head_sha,
        data: safe.value === null ? null : JSON.stringify(safe.value),
        truncated: plain.text.length > MAX_TEXT_LENGTH ? (1 as const) : (0 as const),
        redacted: plain.redacted || safe.redacted ? (1 as const) : (0 as const),
        secrets: [...plain.secrets, ...safe.secrets],
      }
    }),
  )
}
