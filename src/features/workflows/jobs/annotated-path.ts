/** The path in the repository of a file as a command of a job names it. */

/**
 * Tools name files from the folder that they run in, or with the whole path on the machine of the
 * job. Workspaces of jobs end in the name of the repository twice, as `RUNNER_WORKSPACE` does on
 * all runners. Null for a file outside of the repository.
 */
export function annotatedPath(file: string, repoName: string): string | null {
  const path = file.replaceAll('\\', '/')
  const isAbsolute = path.startsWith('/') || /^[A-Za-z]:\//.test(path)
  const workspace = `/${repoName}/${repoName}/`
  const at = isAbsolute ? path.indexOf(workspace) : -1
  if (isAbsolute && at < 0) return null
  const inside = isAbsolute ? path.slice(at + workspace.length) : path
  const parts = inside.split('/').filter((part) => part !== '' && part !== '.')
  return parts.length === 0 || parts.includes('..') ? null : parts.join('/')
}
