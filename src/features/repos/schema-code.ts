/** Schemas of code records: branches, commits, trees, files and changes. */
import {
  Actor,
  ListOf,
  Nullable,
  OneOf,
  Sha,
  Time,
  toolRecord,
  Type,
  type Static,
} from '#core/schema.ts'

export const ObjectId = Type.String({
  pattern: '^[0-9a-f]{40}$',
  description: 'A git object id: 40 lowercase hex digits.',
})

/** An author or committer as the commit names them. `actor` is the account with that address. */
export const CommitPerson = Type.Object(
  { name: Type.String(), email: Type.String(), date: Time, actor: Nullable(Actor) },
  { $id: 'CommitPerson' },
)
export type CommitPerson = Static<typeof CommitPerson>

export const Verification = Type.Object(
  {
    verified: Type.Boolean(),
    reason: Type.String({
      description:
        'valid, unsigned, or why the signature does not count: unknown_key, invalid, bad_email, malformed_signature.',
    }),
    signer: Nullable(Actor),
    kind: OneOf(['ssh', 'gpg', 'none']),
  },
  toolRecord({ usual: { verified: false, reason: 'unsigned', kind: 'none' } }),
)
export type Verification = Static<typeof Verification>

/** Why the signature of a push counts or not. Others are refused with the push. */
export const CERTIFICATE_REASONS = ['valid', 'unknown_key', 'not_pusher'] as const
export type CertificateReason = (typeof CERTIFICATE_REASONS)[number]

export const pushSignatureFields = {
  verified: Type.Boolean(),
  reason: OneOf(CERTIFICATE_REASONS, {
    description:
      'valid: the key is one of the account that pushed. not_pusher: it is one of another account.',
  }),
  fingerprint: Nullable(Type.String({ description: 'Of the SSH key; null for OpenPGP.' })),
}

/** The signature of a push, in its events. */
export const PushSignature = Type.Object({
  certificate: Type.String({ description: 'The id for get_push_certificate.' }),
  signer: Nullable(Type.String({ description: 'The username of the owner of the key.' })),
  ...pushSignatureFields,
})
export type PushSignature = Static<typeof PushSignature>

/** The commands of a push, as many as the engine reads. */
export const RefUpdates = Type.Array(
  Type.Object({
    name: Type.String({ maxLength: 65_536 }),
    old: Nullable(ObjectId),
    new: Nullable(ObjectId),
  }),
  { maxItems: 100_000 },
)
export const PushOptions = Type.Optional(
  Type.Array(Type.String({ maxLength: 65_536 }), { maxItems: 1000 }),
)

/** What became of each command of a push: why it was refused, and lines for the client. */
export const PushOutput = Type.Object({
  results: Type.Array(
    Type.Object({
      name: Type.String(),
      refused: Nullable(Type.String()),
      lines: Type.Array(Type.String()),
    }),
  ),
})

/** A certificate as the git server passes it on. */
export const ReceivedCertificate = Type.Object({
  nonce: Type.String({ maxLength: 200 }),
  signed: Type.String({ maxLength: 4 << 20 }),
  signature: Type.String({ maxLength: 1 << 20 }),
})
export type ReceivedCertificate = Static<typeof ReceivedCertificate>

export const CommitStats = Type.Object({
  additions: Type.Integer(),
  deletions: Type.Integer(),
  files: Type.Integer(),
})

const commit = {
  sha: Sha,
  short_sha: Type.String(),
  tree_sha: ObjectId,
  message: Type.String(),
  title: Type.String({ description: 'The first line of the message.' }),
  author: CommitPerson,
  committer: CommitPerson,
  parents: Type.Array(Sha),
  verification: Verification,
  trailers: Type.Record(Type.String(), Type.Array(Type.String()), {
    'x-free-form': true,
    description: 'The lines `Key: value` at the end of the message.',
  }),
  pull: Nullable(Type.Integer({ description: 'The pull request that the commit came with.' })),
  stats: Nullable(CommitStats),
  html_url: Type.String(),
}

/** A commit in a list. `stats` is counted only for single commits. */
const commitInTools = toolRecord({
  follows: ['short_sha', 'tree_sha', 'title'],
  usual: { trailers: {}, verification: {} },
  same: { committer: 'author' },
})

export const CommitRecord = Type.Object(commit, { $id: 'Commit', ...commitInTools })
export type CommitRecord = Static<typeof CommitRecord>

export const HunkLine = Type.Object({
  kind: OneOf(['context', 'add', 'del']),
  old: Nullable(Type.Integer()),
  new: Nullable(Type.Integer()),
  text: Type.String(),
  no_newline: Type.Optional(
    Type.Boolean({
      description: 'True on the last line of a file that does not end in a newline.',
    }),
  ),
})

export const Hunk = Type.Object(
  {
    old_start: Type.Integer(),
    old_lines: Type.Integer(),
    new_start: Type.Integer(),
    new_lines: Type.Integer(),
    heading: Type.String(),
    lines: Type.Array(HunkLine),
  },
  { $id: 'Hunk' },
)
export type Hunk = Static<typeof Hunk>

export const Lfs = Type.Object({ oid: Type.String(), size: Type.Integer() })

export const FileChange = Type.Object(
  {
    path: Type.String(),
    old_path: Nullable(Type.String({ description: 'Where it was, for renames and copies.' })),
    status: OneOf(['added', 'modified', 'removed', 'renamed', 'copied', 'type_changed']),
    old_sha: Nullable(ObjectId),
    new_sha: Nullable(ObjectId),
    mode: Nullable(Type.String()),
    old_mode: Nullable(Type.String()),
    additions: Type.Integer(),
    deletions: Type.Integer(),
    binary: Type.Boolean(),
    generated: Type.Boolean(),
    language: Nullable(Type.String()),
    lfs: Nullable(Lfs),
    viewed: Type.Boolean({ description: 'Whether the caller has marked it as seen.' }),
    patch: Nullable(Type.String({ description: 'The change as unified text.' })),
    hunks: Type.Array(Hunk),
    truncated: Type.Boolean(),
    reason: Nullable(OneOf(['too_large', 'binary', 'generated', 'page_limit'])),
  },
  {
    $id: 'FileChange',
    // The patch holds the lines of the hunks.
    ...toolRecord({
      follows: ['hunks', 'viewed', 'language', 'old_sha', 'new_sha'],
      usual: { mode: '100644', binary: false, generated: false, truncated: false },
      same: { old_mode: 'mode' },
    }),
  },
)
export type FileChange = Static<typeof FileChange>

export const CommitDetail = Type.Object(
  { ...commit, files: Type.Array(FileChange), truncated: Type.Boolean() },
  { $id: 'CommitDetail', ...commitInTools },
)
export type CommitDetail = Static<typeof CommitDetail>

export const CommitBrief = Type.Object({
  sha: Sha,
  message: Type.String({ description: 'The first line.' }),
  author: CommitPerson,
  date: Time,
})

export const Branch = Type.Object(
  {
    name: Type.String(),
    commit: CommitBrief,
    default: Type.Boolean(),
    protected: Type.Boolean(),
    ahead: Type.Integer({ description: 'Commits that the default branch lacks.' }),
    behind: Type.Integer({ description: 'Commits of the default branch that it lacks.' }),
    pull: Nullable(Type.Integer({ description: 'The open pull request of this branch.' })),
    rules: Type.Array(Type.String(), { description: 'The types of the rules in force.' }),
    updated_at: Time,
  },
  { $id: 'Branch' },
)
export type Branch = Static<typeof Branch>
export const Branches = ListOf(Branch)

export const Tag = Type.Object(
  {
    name: Type.String(),
    target: Nullable(Sha),
    object_sha: ObjectId,
    message: Nullable(Type.String()),
    tagger: Nullable(CommitPerson),
    verified: Type.Boolean(),
    release: Nullable(Type.String()),
    created_at: Time,
  },
  { $id: 'Tag' },
)
export type Tag = Static<typeof Tag>

export const TreeEntry = Type.Object(
  {
    path: Type.String({ description: 'From the root of the repository.' }),
    name: Type.String(),
    type: OneOf(['file', 'dir', 'symlink', 'submodule']),
    mode: Type.String(),
    sha: ObjectId,
    size: Nullable(Type.Integer({ description: 'Bytes, for files.' })),
    last_commit: Nullable(Type.Object({ sha: Sha, title: Type.String(), date: Time })),
  },
  { $id: 'TreeEntry', ...toolRecord({ follows: ['name', 'mode'] }) },
)
export type TreeEntry = Static<typeof TreeEntry>

export const FileRecord = Type.Object(
  {
    path: Type.String(),
    ref: Type.String(),
    commit_sha: Sha,
    sha: ObjectId,
    size: Type.Integer(),
    lines: Nullable(
      Type.Integer({
        description: 'Lines of the whole file; null for binary files and for those over 16 MiB.',
      }),
    ),
    from_line: Nullable(Type.Integer()),
    to_line: Nullable(Type.Integer()),
    encoding: OneOf(['utf-8', 'base64']),
    content: Type.String(),
    truncated: Type.Boolean(),
    language: Nullable(Type.String()),
    binary: Type.Boolean(),
    lfs: Nullable(Lfs),
    html_url: Type.String(),
    raw_url: Type.String(),
  },
  {
    $id: 'File',
    ...toolRecord({
      follows: ['html_url', 'raw_url', 'language'],
      usual: { encoding: 'utf-8', truncated: false, binary: false },
    }),
  },
)
export type FileRecord = Static<typeof FileRecord>

export const BlameRecord = Type.Object(
  {
    from_line: Type.Integer(),
    to_line: Type.Integer(),
    commit: Type.Object({ sha: Sha, title: Type.String(), author: CommitPerson, date: Time }),
    pull: Nullable(Type.Integer()),
    session: Type.Boolean({ description: 'Whether the pull request has a session.' }),
  },
  { $id: 'BlameRange' },
)

export const Compare = Type.Object(
  {
    base_sha: Sha,
    head_sha: Sha,
    merge_base_sha: Nullable(Sha),
    ahead: Type.Integer(),
    behind: Type.Integer(),
    commits: Type.Array(CommitRecord),
    files: Type.Array(FileChange),
    totals: CommitStats,
    truncated: Type.Boolean({
      description: 'Whether there are more commits or files than this page holds.',
    }),
  },
  { $id: 'Compare' },
)
export type Compare = Static<typeof Compare>
