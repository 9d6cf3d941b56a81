/** The project that stand-ins of other forges have. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Project } from '../../features/imports/stand-in.ts'
import { git } from '../../git/support/real-git.ts'

/** A repository with a merged branch, whose commits the pull requests are about. */
export async function makeProject(
  work: string,
  sizes: { issues: number; comments: number },
): Promise<Project> {
  const tree = join(work, 'lamp')
  mkdirSync(tree)
  const as = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  const commit = async (text: string): Promise<string> => {
    await Bun.write(join(tree, 'file.txt'), text)
    await git(tree, 'add', '-A')
    await git(tree, ...as, 'commit', '-qm', text)
    return await git(tree, 'rev-parse', 'HEAD')
  }
  await git(tree, 'init', '-q', '-b', 'main')
  const base = await commit('zero\n')
  await git(tree, 'checkout', '-q', '-b', 'topic')
  const head = await commit('one\n')
  await git(tree, 'checkout', '-q', 'main')
  await git(tree, ...as, 'merge', '-q', '--no-ff', '-m', 'Merge', 'topic')
  await git(tree, 'tag', 'v9')
  for (const [prefix, offset] of [
    ['pull', 0],
    ['merge-requests', sizes.issues],
  ] as const)
    for (const number of [sizes.issues + 1, sizes.issues + 2])
      await git(tree, 'update-ref', `refs/${prefix}/${number - offset}/head`, head)
  const merge = await git(tree, 'rev-parse', 'HEAD')
  await git(work, 'clone', '-q', '--mirror', 'lamp', 'lamp.git')
  return { ...sizes, commits: { base, head, merge }, branch: 'topic' }
}
