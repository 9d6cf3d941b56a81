/** The working tree that `hearth run` runs workflows on. */
import { lstat, readFile, readlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readdirSync, readFileSync } from 'node:fs'
import { WorkflowReader, type JsonObject, type Workflow } from '#actions'
import { writeCheckout, type CheckoutEntry } from '#runner'
import { CommandError } from '../command.ts'

const FOLDERS = ['.hearth/workflows', '.github/workflows']

/** The output of git in a folder; null when it fails. */
function git(folder: string, ...args: string[]): string | null {
  const child = Bun.spawnSync(['git', ...args], { cwd: folder, stderr: 'ignore' })
  return child.success ? child.stdout.toString() : null
}

export class WorkingTree {
  readonly #reader = new WorkflowReader()

  private constructor(readonly root: string) {}

  /** The tree around a folder. Throws CommandError where there is none. */
  static find(folder: string): WorkingTree {
    const root = git(folder, 'rev-parse', '--show-toplevel')?.trim()
    if (!root) throw new CommandError(`${folder} is in no git repository`)
    return new WorkingTree(root)
  }

  /** The paths of the workflow files: `.hearth/workflows`, else `.github/workflows`. */
  workflowPaths(): string[] {
    for (const folder of FOLDERS) {
      const names = this.#namesIn(folder).filter((name) => /\.ya?ml$/.test(name))
      if (names.length > 0) return names.toSorted().map((name) => `${folder}/${name}`)
    }
    return []
  }

  /** The paths that a word of the command line means: a path, or the name of a file. */
  pathsOf(word: string): string[] {
    const path = word.replace(/^\.\//, '')
    return this.workflowPaths().filter((one) => {
      const name = basename(one)
      return [one, name, name.replace(/\.ya?ml$/, '')].includes(path)
    })
  }

  /** Reads a workflow file. Throws CommandError with what is wrong in it. */
  async read(path: string): Promise<Workflow> {
    let text: string
    try {
      text = readFileSync(join(this.root, path), 'utf8')
    } catch {
      throw new CommandError(`there is no file ${path}`)
    }
    const { workflow, problems } = await this.#reader.read(text, path)
    if (workflow) return workflow
    const lines = problems.map(
      ({ file, line, column, text }) => `${file}:${line}:${column} ${text}`,
    )
    throw new CommandError(lines.join('\n'))
  }

  get reader(): WorkflowReader {
    return this.#reader
  }

  /** `owner/name` of the remote `origin`; else the name of the folder. */
  get repository(): string {
    const address = git(this.root, 'remote', 'get-url', 'origin')?.trim() ?? ''
    const [name, owner] = address
      .replace(/\.git$/, '')
      .split(/[/:]/)
      .filter((part) => /^[\w.-]+$/.test(part))
      .toReversed()
    const own = basename(this.root).replace(/[^\w.-]/g, '-')
    return owner && name ? `${owner}/${name}` : `local/${own}`
  }

  /** The context `github` of a run here. */
  github(workflow: Workflow, event: string): JsonObject {
    const { repository } = this
    const branch = git(this.root, 'symbolic-ref', '--short', 'HEAD')?.trim() ?? 'main'
    const ref = `refs/heads/${branch}`
    const actor = git(this.root, 'config', 'user.name')?.trim() ?? 'local'
    return {
      event_name: event,
      event: { repository: { full_name: repository, default_branch: branch }, ref },
      ref,
      ref_name: branch,
      ref_type: 'branch',
      ref_protected: false,
      sha: git(this.root, 'rev-parse', 'HEAD')?.trim() ?? '0'.repeat(40),
      head_ref: '',
      base_ref: '',
      actor,
      triggering_actor: actor,
      repository,
      repository_owner: repository.split('/')[0] ?? '',
      run_id: '1',
      run_number: '1',
      run_attempt: '1',
      workflow: workflow.name,
      workflow_ref: `${repository}/${workflow.path}@${ref}`,
      server_url: 'http://localhost',
      api_url: 'http://localhost/v1',
      retention_days: '90',
    }
  }

  /** Writes the files of the tree, committed or not, without those that git ignores. */
  async checkOut(folder: string): Promise<void> {
    const listed = git(
      this.root,
      'ls-files',
      '-z',
      '-c',
      '-o',
      '--exclude-standard',
      '--deduplicate',
    )
    if (listed === null) throw new CommandError('git could not list the files of the working tree')
    await writeCheckout(folder, this.#entries(listed.split('\0').filter((path) => path !== '')))
  }

  close(): Promise<void> {
    return this.#reader.close()
  }

  async *#entries(paths: readonly string[]): AsyncGenerator<CheckoutEntry> {
    for (const path of paths) {
      const full = join(this.root, path)
      const stat = await lstat(full).catch(() => null)
      // Files that were removed are still in the index.
      if (!stat) continue
      if (stat.isSymbolicLink()) yield { path, kind: 'link', target: await readlink(full) }
      else if (stat.isDirectory()) yield { path: path.replace(/\/$/, ''), kind: 'folder' }
      else if (stat.isFile())
        yield {
          path,
          kind: 'file',
          executable: (stat.mode & 0o100) !== 0,
          data: await readFile(full),
        }
    }
  }

  #namesIn(folder: string): string[] {
    try {
      return readdirSync(join(this.root, folder))
    } catch {
      return []
    }
  }
}
