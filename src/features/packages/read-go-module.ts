import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import {
  findModule,
  latestOf,
  listTaggedVersions,
  type FoundModule,
} from './formats/go/find-module.ts'
import type { ModulePath } from './formats/go/module-path.ts'

export const readGoModule = operation({
  name: 'read_go_module',
  summary: 'Find versions of a Go module in the tags of a repository, for the go command.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    path: Type.Unsafe<ModulePath>(Type.Object({})),
    kind: OneOf(['list', 'latest', 'version'] as const),
    version: Type.Optional(Type.String({ maxLength: 300 })),
  }),
  output: Type.Object({
    versions: Type.Array(Type.String()),
    store: Type.String(),
    found: Type.Unsafe<FoundModule | null>(Type.Object({})),
  }),

  handler: async ({ hearth, repo }, { path, kind, version = '' }) => ({
    versions: kind === 'list' ? listTaggedVersions(hearth, repo, path) : [],
    store: repo.store,
    found:
      kind === 'list'
        ? null
        : await findModule(
            hearth,
            repo,
            path,
            kind === 'latest' ? latestOf(hearth, repo, path) : version,
          ),
  }),
})
