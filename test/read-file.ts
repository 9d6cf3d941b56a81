/** Reads what a pull request would merge. */
import type { World } from './world.ts'

/** A file at the head of a pull request, with the message and the author of the head. */
export async function getRawFile({ hearth }: World, number: number, path: string) {
  const row = hearth.db.one<{ store: string; head_sha: string }>(
    `SELECT r.store, p.head_sha FROM pulls p JOIN repos r ON r.id = p.repo_id WHERE p.number = ?`,
    number,
  )
  if (!row) throw new Error(`there is no pull request #${number}`)
  const entry = await hearth.git.findEntry(row.store, row.head_sha, path)
  const blob = entry && (await hearth.git.readBlob(row.store, entry.oid))
  const commit = await hearth.git.readCommit(row.store, row.head_sha)
  return {
    text: blob ? new TextDecoder().decode(blob.data) : null,
    message: commit?.message ?? '',
    author: commit?.author.name ?? '',
  }
}
