/**
 * Opens alerts for secrets in texts that were stored: of issues, pull requests, comments, reviews and
 * sessions. A reaction looks for words of the rules, which takes under 1 ms; only a text with one is
 * given to the thread that runs the expressions.
 */
import { handler, reaction, type EventRow } from '#core/events.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { commentCreated, commentEdited, issueOpened, issueUpdated } from '#features/issues/index.ts'
import { pullOpened, pullUpdated, sessionAppended } from '#features/pulls/index.ts'
import {
  customRules,
  repoById,
  revokeSecretToken,
  secretProtectionOf,
  type RepoRow,
} from '#features/repos/index.ts'
import { mayHoldSecret } from '#lib/secrets/refused-secret.ts'
import { readTexts, type StoredText, type TextName } from './read-text.ts'
import { recordFindings, type Finding } from './record-findings.ts'
import { textThread, type TextSecret } from './text-thread.ts'

type TextInput = { readonly repo_id: string; readonly number: number; readonly of: TextName }

/** Texts that together have so many characters are given to the thread at once. */
const MAX_CHARS = 1 << 20

function* inBatches(texts: readonly StoredText[]): Generator<StoredText[]> {
  let batch: StoredText[] = []
  let chars = 0
  for (const text of texts) {
    if (chars > 0 && chars + text.text.length > MAX_CHARS) {
      yield batch
      batch = []
      chars = 0
    }
    batch.push(text)
    chars += text.text.length
  }
  if (batch.length > 0) yield batch
}

/** Opens alerts, and revokes tokens of this forge, which people could read meanwhile. */
function record(
  tx: Tx,
  home: RepoRow,
  { source, path }: StoredText,
  secrets: readonly TextSecret[],
): void {
  const found: Finding[] = secrets.map((secret) => ({ ...secret, path, commit: '' }))
  for (const one of found) if (one.type === 'hearth-token') revokeSecretToken(tx, home, one)
  recordFindings(tx, home, source, found)
}

export const scanText = job<TextInput>({
  kind: 'scan_text',
  queue: 'security',
  run: async ({ hearth, signal }, input) => {
    const home = repoById(hearth.db, input.repo_id)
    if (!home || !secretProtectionOf(hearth.db, home).secret_scanning) return
    for (const batch of inBatches(readTexts(hearth.db, input))) {
      signal.throwIfAborted()
      const texts = batch.map(({ text }) => text)
      const custom = customRules(hearth, home)
      const secrets = await textThread(hearth).find(home.id, { texts, custom })
      if (secrets === null)
        hearth.log.warn('a text takes too long to look through for secrets', { repo: home.id })
      if (!secrets?.some((list) => list.length > 0)) continue
      await writeAs(hearth, null, (tx) =>
        batch.forEach((text, at) => record(tx, home, text, secrets[at] ?? [])),
      )
    }
  },
})

function follow(tx: Tx, repo_id: string | null, number: number, of: TextName): void {
  const home = repo_id === null ? null : repoById(tx.db, repo_id)
  if (!home || !secretProtectionOf(tx.db, home).secret_scanning) return
  const input = { repo_id: home.id, number, of }
  const needsNoWord = customRules(tx.hearth, home).length > 0
  const texts = readTexts(tx.db, input)
  if (texts.some(({ text }) => needsNoWord || mayHoldSecret(text))) tx.enqueue(scanText, input)
}

const DESCRIPTION: TextName = { kind: 'description' }

const changesText = (changed: readonly string[]): boolean =>
  changed.includes('title') || changed.includes('body')

type Opened = EventRow<{ number: number }>
type Updated = EventRow<{ number: number; changed: string[] }>

const followOpened = (tx: Tx, { repo_id, data }: Opened): void =>
  follow(tx, repo_id, data.number, DESCRIPTION)

const followUpdated = (tx: Tx, { repo_id, data }: Updated): void => {
  if (changesText(data.changed)) follow(tx, repo_id, data.number, DESCRIPTION)
}

const NAME = 'texts are looked through for secrets'

export const textReactions = [
  reaction(NAME, issueOpened, followOpened),
  reaction(NAME, pullOpened, followOpened),
  reaction(NAME, issueUpdated, followUpdated),
  reaction(NAME, pullUpdated, followUpdated),
  reaction(NAME, commentCreated, (tx, { repo_id, data: { number, comment, review } }) => {
    for (const id of [comment, review])
      if (id !== null) follow(tx, repo_id, number, { kind: 'comment', id })
  }),
  reaction(NAME, sessionAppended, (tx, { repo_id, data: { number, from_seq, last_seq } }) =>
    follow(tx, repo_id, number, { kind: 'session', from_seq, last_seq }),
  ),
]

export const textHandlers = [
  handler(NAME, commentEdited, (tx, { repo_id, number, comment }) =>
    follow(tx, repo_id, number, { kind: 'comment', id: comment }),
  ),
]
