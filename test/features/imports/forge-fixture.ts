/** A forge, a git repository with heads of pull requests, and stand-ins for other forges. */
import { join } from 'node:path'
import { git } from '../../git/support/real-git.ts'
import { createImport } from '#features/imports/create-import.ts'
import { getImport } from '#features/imports/get-import.ts'
import { makeImportWorld } from './fixture.ts'
import { startStandIn, type Dialect, type Project, type StandInOptions } from './stand-in.ts'

export async function makeForgeWorld(size: { issues?: number; comments?: number } = {}) {
  const it = await makeImportWorld()
  const { world, work, ada } = it
  await git(work, 'init', '-q', '-b', 'main', 'lamp')
  const tree = join(work, 'lamp')
  const commit = async (text: string): Promise<string> => {
    await Bun.write(join(tree, 'file.txt'), text)
    await git(tree, 'add', '-A')
    await git(
      tree,
      '-c',
      'user.name=Ada',
      '-c',
      'user.email=ada@example.com',
      'commit',
      '-qm',
      text,
    )
    return await git(tree, 'rev-parse', 'HEAD')
  }
  const base = await commit('zero\n')
  await git(tree, 'checkout', '-q', '-b', 'topic')
  const head = await commit('one\n')
  await git(tree, 'checkout', '-q', 'main')
  await git(
    tree,
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.com',
    'merge',
    '-q',
    '--no-ff',
    '-m',
    'Merge',
    'topic',
  )
  const merge = await git(tree, 'rev-parse', 'HEAD')
  await git(tree, 'tag', 'v9')
  const project: Project = {
    issues: size.issues ?? 7,
    comments: size.comments ?? 3,
    commits: { base, head, merge },
    branch: 'topic',
  }
  const open = project.issues + 2
  for (const [prefix, offset] of [
    ['pull', 0],
    ['merge-requests', project.issues],
  ] as const)
    for (const number of [open - 1, open])
      await git(tree, 'update-ref', `refs/${prefix}/${number - offset}/head`, head)
  await git(work, 'clone', '-q', '--mirror', 'lamp', 'lamp.git')
  const backend = it.backend()
  let names = 0
  return {
    ...it,
    project,
    open,
    standIn: (dialect: Dialect, options?: StandInOptions) =>
      startStandIn(dialect, project, backend.url, options),
    /** Starts an import and returns its id and repository. */
    start: async (
      source: Dialect,
      url: string,
      more: { token?: string; include?: ('code' | 'issues' | 'collaborators')[] } = {},
    ) => {
      const name = `lamp-${names++}`
      const { id } = await world.call(createImport, ada, {
        source,
        url,
        name,
        workspace: 'acme',
        ...more,
      })
      return { id, repo: `acme/${name}` }
    },
    state: (id: string) => world.call(getImport, ada, { id }),
  }
}
