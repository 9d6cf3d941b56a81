import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { makeRelease } from './make-release.ts'
import { NewRelease, Release } from './schema.ts'

export const createRelease = operation({
  name: 'create_release',
  summary:
    'Publish a version (Write): a tag with notes; a missing tag is made at target. As a draft it waits for its files, seen by those with Write alone. generate_notes adds what was merged since the last release.',
  keywords: [
    'publish a version',
    'new release',
    'ship a version',
    'cut a release',
    'release a version',
  ],
  route: 'POST /repos/{owner}/{name}/releases',
  toolset: 'releases',
  listed: 'default',
  access: writesRepo('write', { scope: 'repo:write' }),
  input: Type.Object({
    repo: RepoPath,
    ...NewRelease.properties,
  }),
  output: Release,
  status: 201,

  handler: (context, { repo: _, ...input }) => makeRelease(context, input),
})
