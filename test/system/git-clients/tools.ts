/**
 * Clients of git by other authors, fetched from their registries and built where that is needed.
 */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const HERE = import.meta.dir

/**
 * `command` is what the action and its arguments are added to; null with a reason when it cannot be
 * had.
 */
export type Tool = {
  readonly name: string
  readonly command: readonly string[] | null
  readonly why?: string
}

/** Real git has its own options for each action: it is told apart by its program. */
function run(cwd: string, ...command: string[]): void {
  const ran = Bun.spawnSync(command, { cwd, stdout: 'pipe', stderr: 'pipe' })
  if (ran.exitCode !== 0)
    throw new Error(
      `${command[0]} ${command[1] ?? ''} ended with ${ran.exitCode}: ${`${ran.stderr}${ran.stdout}`.trim().slice(-300)}`,
    )
}

function tool(name: string, prepare: () => readonly string[]): Tool {
  try {
    return { name, command: prepare() }
  } catch (error) {
    return {
      name,
      command: null,
      why: error instanceof Error ? error.message.split('\n')[0] : String(error),
    }
  }
}

/** Prepares them below a directory; what is there already is taken as it is. */
export function prepareTools(directory: string): Tool[] {
  const python = join(directory, 'venv', 'bin', 'python')
  const venv = (...packages: string[]): void => {
    if (!existsSync(python)) run(directory, 'python3', '-m', 'venv', 'venv')
    run(directory, python, '-m', 'pip', 'install', '-q', ...packages)
  }
  return [
    tool('JGit', () => {
      const home = join(directory, 'jgit')
      if (!existsSync(join(home, 'lib'))) {
        mkdirSync(home, { recursive: true })
        copyFileSync(join(HERE, 'pom.xml'), join(home, 'pom.xml'))
        run(home, 'mvn', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=lib')
      }
      return ['java', '-cp', join(home, 'lib', '*'), join(HERE, 'JGit.java')]
    }),
    tool('dulwich', () => (venv('dulwich'), [python, join(HERE, 'by-dulwich.py')])),
    tool('libgit2', () => (venv('pygit2'), [python, join(HERE, 'by-libgit2.py')])),
    tool('isomorphic-git', () => [process.execPath, join(HERE, 'isomorphic.ts')]),
    tool('go-git', () => {
      const home = join(directory, 'go')
      if (!existsSync(join(home, 'client'))) {
        mkdirSync(home, { recursive: true })
        copyFileSync(join(HERE, 'gogit', 'main.go'), join(home, 'main.go'))
        if (!existsSync(join(home, 'go.mod'))) run(home, 'go', 'mod', 'init', 'hearth-client')
        run(home, 'go', 'get', 'github.com/go-git/go-git/v5@v5.12.0')
        run(home, 'go', 'build', '-o', 'client', '.')
      }
      return [join(home, 'client')]
    }),
  ]
}
