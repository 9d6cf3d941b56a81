/**
 * Tools that only the wider scripts use are fetched when they run, not installed with the project.
 */

/**
 * Installs a package into a directory. Gives that directory; gives an Error with what npm said when
 * it fails.
 */
export async function fetchTool(directory: string, ...packages: string[]): Promise<string> {
  const child = Bun.spawn(
    [
      'npm',
      'install',
      '--prefix',
      directory,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      ...packages,
    ],
    { cwd: directory, stdout: 'ignore', stderr: 'pipe' },
  )
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`npm install ${packages.join(' ')}: ${said}`)
  return directory
}
