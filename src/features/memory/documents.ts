/** The documents of a repository that agents read anyway. */
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { headCommit } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import { foldText } from './fold-text.ts'

const DOCUMENTS = ['AGENTS.md', 'CLAUDE.md', 'README.md']
const MAX_DOCUMENT_BYTES = 256 * 1024

/** Throws 422 when a document that agents read says the same in the same words. */
export async function refuseRepeatedText(
  hearth: Hearth,
  repo: RepoGrant,
  text: string,
): Promise<void> {
  const head = headCommit(hearth, repo)
  if (head === null) return
  const folded = foldText(text)
  for (const path of DOCUMENTS) {
    const entry = await hearth.git.findEntry(repo.store, head, path)
    if (entry?.type !== 'file') continue
    const blob = await hearth.git.readBlob(repo.store, entry.oid, MAX_DOCUMENT_BYTES)
    if (blob && foldText(new TextDecoder().decode(blob.data)).includes(folded))
      throw invalid('text', `${path} says this already, and every agent reads it`)
  }
}
