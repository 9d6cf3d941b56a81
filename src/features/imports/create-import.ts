import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { createRepoWithStore, type NewRepoContext } from '#features/repos/index.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { invalid } from '#lib/errors.ts'
import { enqueueImport, requireImportAddress, stepsOf } from './begin-import.ts'
import { completeAddress } from './complete-address.ts'
import { decodePart, splitAddress } from './forges/open-forge.ts'
import { importRecord } from './import-record.ts'
import { AddressInput, PartsInput, TokenInput } from './inputs.ts'
import { Import, PARTS, SOURCES, type Part, type Source } from './schema.ts'
import { requireImport } from './store.ts'

/** The name that `git clone` would choose. */
const defaultName = (url: string): string =>
  decodePart(trimTrailingSlashes(url).split('/').at(-1) ?? '').replace(/\.git$/, '')

const OF_GIT: readonly Part[] = ['code', 'large_files']

/** What is taken over: from git the code, from another forge everything unless the caller says. */
function chosenParts(source: Source, include: readonly Part[] | undefined): readonly Part[] {
  if (source !== 'git') return include ?? PARTS.filter((part) => part !== 'collaborators')
  const at = include?.findIndex((part) => !OF_GIT.includes(part)) ?? -1
  if (at >= 0)
    throw invalid(`include[${at}]`, `a git address holds code alone, not ${String(include?.[at])}`)
  return include ?? ['code']
}

export type ImportInput = {
  readonly source: Source
  readonly url: string
  readonly token?: string | undefined
  readonly workspace: string
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly private?: boolean | undefined
  readonly include?: readonly Part[] | undefined
}

/** Creates the repository with its import. */
export function startImport(
  context: NewRepoContext,
  {
    source,
    token,
    workspace,
    name,
    description,
    private: isPrivate,
    include,
    ...input
  }: ImportInput,
): Promise<Import> {
  const { hearth, caller } = context
  const url = completeAddress(source, input.url)
  const remote = { url, secret: token ?? null }
  const parts = chosenParts(source, include)
  if (source !== 'git' && URL.canParse(url)) splitAddress(url)
  return createRepoWithStore(
    context,
    {
      name: name ?? defaultName(URL.parse(url)?.pathname ?? ''),
      workspace,
      ...(description === undefined ? {} : { description }),
      ...(isPrivate === undefined ? {} : { private: isPrivate }),
    },
    {
      imported: URL.parse(url)?.host ?? '',
      prepare: async () => void (await requireImportAddress(hearth, 'url', remote)),
      finish: (tx, row) => {
        const by = { created_by: caller.id, source, steps: stepsOf(parts) }
        return importRecord(hearth, requireImport(tx.db, enqueueImport(tx, row, remote, by)))
      },
    },
  )
}

export const createImport = operation({
  name: 'create_import',
  summary:
    'Import a repository from another address into a new one of a workspace that you belong to. Answers at once; it goes on afterwards.',
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
    source: OneOf(SOURCES, {
      description: 'git has code alone; a forge has issues, pull requests and releases too.',
    }),
    url: AddressInput('As one would clone it.'),
    token: Type.Optional(
      TokenInput('A token, or name:password; kept encrypted until the import ends.'),
    ),
    workspace: WorkspaceSlug,
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The default is that of the address.',
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: 350 })),
    private: Type.Optional(
      Type.Boolean({
        description: 'The default is set for the installation.',
      }),
    ),
    include: Type.Optional(PartsInput),
  }),
  output: Import,
  status: 202,
  annotations: { openWorld: true },

  handler: (context, input) => startImport(context, input),
})
