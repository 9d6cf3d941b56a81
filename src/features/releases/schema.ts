/** Schemas of releases. */
import { Actor, Id, ListOf, Nullable, Time, Type, type Static } from '#core/schema.ts'

export const MAX_ASSETS = 1000
export const MAX_NOTES_LENGTH = 262_144

export const Asset = Type.Object(
  {
    id: Id('ast'),
    name: Type.String({ description: 'The name of the file, unique in the release.' }),
    label: Nullable(Type.String({ description: 'What is shown in place of the name.' })),
    content_type: Type.String(),
    size_in_bytes: Type.Integer(),
    sha256: Type.String({ description: 'The SHA-256 of its bytes, 64 lowercase hex digits.' }),
    download_count: Type.Integer(),
    uploader: Actor,
    created_at: Time,
    download_url: Type.String({
      description:
        'Answers ranges. A private one needs the token of somebody who may read the repository.',
    }),
  },
  { $id: 'ReleaseAsset', description: 'A file of a release.' },
)
export type Asset = Static<typeof Asset>
export const Assets = ListOf(Asset)

export const Release = Type.Object(
  {
    id: Id('rel'),
    tag_name: Type.String(),
    target: Type.String({
      description:
        'The commit that was released. Of a draft, the commit that its tag would name when it was saved.',
    }),
    name: Type.String(),
    body: Type.String({ description: 'The notes, as Markdown.' }),
    draft: Type.Boolean({
      description: 'Only those with Write see it, and it has no tag of its own yet.',
    }),
    prerelease: Type.Boolean(),
    latest: Type.Boolean({
      description:
        'True for one published release that is no prerelease: the one that was set, else the highest version, else the newest.',
    }),
    author: Actor,
    created_at: Time,
    published_at: Nullable(Time),
    updated_at: Time,
    html_url: Type.String(),
    tag_sha: Nullable(
      Type.String({
        description: 'The commit that the tag names now; null while there is no such tag.',
      }),
    ),
    assets: Type.Array(Asset),
    zipball_url: Type.String({ description: 'A zip file of the source.' }),
    notes_generated: Type.Boolean({
      description: 'Whether the notes were drafted here from pull requests.',
    }),
    immutable: Type.Boolean({ description: 'A ruleset keeps its tag and its files as they are.' }),
  },
  { $id: 'Release', description: 'A version that is given out: a tag with notes and files.' },
)
export type Release = Static<typeof Release>
export const Releases = ListOf(Release)

export const ReleaseNotes = Type.Object(
  { name: Type.String(), body: Type.String({ description: 'Markdown.' }) },
  { $id: 'ReleaseNotes' },
)
export type ReleaseNotes = Static<typeof ReleaseNotes>

/** Inputs shared by several operations. */
export const ReleaseId = Type.String({ maxLength: 100, description: 'The id of a release.' })
export const AssetId = Type.String({
  maxLength: 100,
  description: 'The id of a file of a release.',
})
export const TagName = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'The tag of the version, such as v1.0.',
})
export const Target = Type.String({
  minLength: 1,
  maxLength: 500,
  description:
    'The branch, tag or commit where the tag is made when there is none; the default branch unless given.',
})
export const releaseInputs = {
  name: Type.Optional(
    Type.String({ maxLength: 255, description: 'The title; the tag unless given.' }),
  ),
  body: Type.Optional(
    Type.String({ maxLength: MAX_NOTES_LENGTH, description: 'The notes, as Markdown.' }),
  ),
  draft: Type.Optional(
    Type.Boolean({ description: 'Keep it to those with Write, and make no tag yet.' }),
  ),
  prerelease: Type.Optional(Type.Boolean({ description: 'It is not for everybody yet.' })),
  latest: Type.Optional(
    Type.Boolean({ description: 'Whether it is the latest; its version decides unless given.' }),
  ),
}

/** What a new release is made of. */
export const NewRelease = Type.Object({
  tag_name: TagName,
  target: Type.Optional(Target),
  ...releaseInputs,
  generate_notes: Type.Optional(
    Type.Boolean({
      description: 'Add notes drafted from the pull requests since the release before.',
    }),
  ),
})
export type NewRelease = Static<typeof NewRelease>

/** Files that a form for a new release holds before it is saved. */
export const MAX_STAGED_FILES = 20
