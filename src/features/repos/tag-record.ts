/** Tags as records. */
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import { commitTime, peopleOf, type People } from './commit-records.ts'
import { releaseOfTag } from './points.ts'
import type { Tag } from './schema.ts'
import type { RefRow } from './store-refs.ts'
import { verificationOf } from './verification.ts'

export async function tagRecord(
  hearth: Hearth,
  repo: { readonly id: string; readonly store: string },
  ref: RefRow,
  people: People = peopleOf(hearth),
): Promise<Tag> {
  const { git } = hearth
  const { store } = repo
  const name = ref.name.slice('refs/tags/'.length)
  const tag = ref.peeled === null ? null : await git.tag(store, ref.oid)
  return {
    name,
    target: await git.peel(store, ref.peeled ?? ref.oid),
    object_sha: ref.oid,
    message: tag?.message ?? null,
    tagger: tag?.tagger ? people(tag.tagger) : null,
    verified: tag?.tagger
      ? verificationOf(hearth, tag.signature, people(tag.tagger)).verified
      : false,
    release:
      releaseOfTag
        .all(hearth)
        .map((ask) => ask(hearth.db, repo.id, name))
        .find((id) => id !== null) ?? null,
    created_at: tag?.tagger ? commitTime(tag.tagger.time) : ref.moved_at,
  }
}

export const noSuchTag = (tag: string) =>
  new Refusal('not_found', `there is no tag ${JSON.stringify(tag.slice(0, 200))} here`, {
    field: 'tag',
  })
