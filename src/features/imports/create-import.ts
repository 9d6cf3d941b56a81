import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { createRepoWithStore } from '#features/repos/index.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { enqueueImport, requireImportAddress } from './begin-import.ts'
import { importRecord } from './import-record.ts'
import { Import, PARTS, SOURCES, SUPPORTED_PARTS, SUPPORTED_SOURCES } from './schema.ts'
import { requireImport } from './store.ts'

/** The name that `git clone` would choose. */
const defaultName = (url: string): string =>
  decodeURIComponent(trimTrailingSlashes(url).split('/').at(-1) ?? '').replace(/\.git$/, '')

/** Sources and parts that imports know, and that this installation does not read. */
function explainUnsupported(input: unknown): Refusal | null {
  const { source, include } = input as { readonly source?: unknown; readonly include?: unknown }
  if (SOURCES.some((one) => one === source && one !== 'git'))
    return new Refusal(
      'not_available',
      `this installation cannot read ${String(source)}: source git copies the code, with all branches and tags`,
      { field: 'source' },
    )
  const parts: readonly unknown[] = Array.isArray(include) ? include : []
  const at = parts.findIndex((part) => PARTS.some((one) => one === part && one !== 'code'))
  return at < 0
    ? null
    : invalid(`include[${at}]`, `a git address holds code alone, not ${String(parts[at])}`)
}

export const createImport = operation({
  name: 'create_import',
  summary:
    'Copy a git repository from another address into a new repository of a workspace that you belong to, with a token when it is private. Answers the import at once; it goes on afterwards.',
  keywords: [
    'import from GitHub',
    'migrate',
    'copy from GitLab',
    'clone from elsewhere',
    'move a repository here',
    'Bitbucket',
    'import an external repository',
  ],
  route: 'POST /imports',
  toolset: 'mirrors',
  listed: 'default',
  access: signedIn({ scope: 'repo:admin', writes: true }),
  input: Type.Object({
    source: OneOf(SUPPORTED_SOURCES, {
      description: 'What the other side speaks; git copies branches, tags and their history.',
    }),
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'The address of the repository, as one would clone it.',
    }),
    token: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2000,
        pattern: '^[^\\x00-\\x1f\\x7f]+$',
        description: 'A token, or name:password; kept encrypted until the import ends.',
      }),
    ),
    workspace: WorkspaceSlug,
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The name here; that of the address unless given.',
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: 350 })),
    private: Type.Optional(
      Type.Boolean({
        description:
          'Whether only those with access see it; the default is set for the installation.',
      }),
    ),
    include: Type.Optional(
      Type.Array(OneOf(SUPPORTED_PARTS), {
        minItems: 1,
        maxItems: SUPPORTED_PARTS.length,
        description: 'What to take over; code unless given.',
      }),
    ),
  }),
  output: Import,
  status: 202,
  annotations: { openWorld: true },

  explainInvalid: explainUnsupported,

  handler: (context, { url, token, workspace, name, description, private: isPrivate }) => {
    const { hearth, caller } = context
    const remote = { url, secret: token ?? null }
    return createRepoWithStore(
      context,
      {
        name: name ?? defaultName(URL.parse(url)?.pathname ?? ''),
        workspace,
        description,
        private: isPrivate,
      },
      {
        imported: URL.parse(url)?.host ?? '',
        prepare: async () => void (await requireImportAddress(hearth, 'url', remote)),
        finish: (tx, row) =>
          importRecord(hearth, requireImport(tx.db, enqueueImport(tx, row, remote, caller.id))),
      },
    )
  },
})
