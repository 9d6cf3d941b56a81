/** Builds the public record of a tag. */
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import {
  commitTime,
  commitPersonLookup,
  type CommitPersonLookup,
} from '../commits/commit-records.ts'
import { releasesOfTags } from '../extension-points.ts'
import { tagOf } from '../refs/ref-names.ts'
import type { Tag } from '../schema.ts'
import type { RefRow } from '../store/refs.ts'
import { verifySignature } from '../commits/verify-signature.ts'

/** The published releases of tags, by the names of the tags. */
export const releasesOf = (
  hearth: Hearth,
  repo_id: string,
  tags: readonly string[],
): ReadonlyMap<string, string> =>
  new Map(releasesOfTags.all(hearth).flatMap((find) => [...find(hearth.db, repo_id, tags)]))

export async function tagRecord(
  hearth: Hearth,
  repo: { readonly id: string; readonly store: string },
  ref: RefRow,
  people: CommitPersonLookup = commitPersonLookup(hearth),
  releases: ReadonlyMap<string, string> = releasesOf(hearth, repo.id, [tagOf(ref.name) ?? '']),
): Promise<Tag> {
  const { git } = hearth
  const { store } = repo
  const name = tagOf(ref.name) ?? ''
  const tag = ref.peeled === null ? null : await git.readTag(store, ref.oid)
  const target = await git.peelToCommit(store, ref.peeled ?? ref.oid)
  // A lightweight tag has no date of its own.
  const commit = tag?.tagger || target === null ? null : await git.readCommit(store, target)
  return {
    name,
    target,
    object_sha: ref.oid,
    message: tag?.message ?? null,
    tagger: tag?.tagger ? people(tag.tagger) : null,
    verified: tag?.tagger
      ? verifySignature(hearth, tag.signature, people(tag.tagger)).verified
      : false,
    release: releases.get(name) ?? null,
    created_at: tag?.tagger
      ? commitTime(tag.tagger.time)
      : commit
        ? commitTime(commit.committer.time)
        : ref.moved_at,
  }
}

export const tagNotFound = (tag: string) =>
  new Refusal('not_found', `there is no tag ${JSON.stringify(tag.slice(0, 200))} here`, {
    field: 'tag',
  })
