/**
 * Reads and plans workflow files of public projects: `bun test/system/workflow-corpus.ts --folder DIR`.
 * The folder has one folder for each project, with the files of its `.github/workflows`. Every file
 * has to be read without an error, and every job has to come to an end when all before it succeed.
 */
import { join } from 'node:path'
import type { Workflow } from '#actions'
import { parseWorkflow } from '#src/actions/parse-workflow.ts'
import { OptionError, runScript, type Option } from '../../scripts/support/options.ts'
import { play } from '../actions/play.ts'

const OPTIONS = {
  folder: { kind: 'text', default: '', help: 'The folder with a folder for each project.' },
  refused: {
    kind: 'text',
    default: '',
    help: 'Files (project/name.yml,…) that GitHub refuses too, by its own schema.',
  },
  least: { kind: 'count', default: '30', help: 'How many projects there have to be.' },
} as const satisfies Record<string, Option>

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** A value that only a job knows before: its outputs are empty here. */
const isOfOutputs = (reason: string): boolean => /empty input|fromJSON/i.test(reason)

type Count = { files: number; jobs: number; faults: number; unknown: number }

type Reading = {
  readonly folder: string
  readonly refused: readonly string[]
  readonly count: Count
}

async function readProject(project: string, { folder, refused, count }: Reading): Promise<void> {
  const names = [...new Bun.Glob('*.{yml,yaml}').scanSync(join(folder, project))].sort()
  const workflows = new Map<string, Workflow>()
  for (const name of names) {
    const text = await Bun.file(join(folder, project, name)).text()
    const { workflow, problems } = parseWorkflow(text, `.github/workflows/${name}`)
    count.files++
    for (const { line, column, text: said } of problems)
      say(`FAULT ${project}/${name}:${line}:${column} ${said}`)
    if (workflow) workflows.set(`./.github/workflows/${name}`, workflow)
    else if (!refused.includes(`${project}/${name}`)) count.faults++
  }
  for (const [path, workflow] of workflows) {
    const { jobs, failures } = play(workflow, (uses) => workflows.get(uses) ?? null)
    count.jobs += jobs
    for (const reason of failures) {
      if (isOfOutputs(reason)) count.unknown++
      else count.faults++
      say(`${isOfOutputs(reason) ? 'open ' : 'FAULT'} ${project}/${path.slice(20)} ${reason}`)
    }
  }
}

await runScript('bun test/system/workflow-corpus.ts --folder DIR', OPTIONS, async (options) => {
  if (options.folder === '') throw new OptionError('--folder is required')
  const projects = [
    ...new Bun.Glob('*/').scanSync({ cwd: options.folder, onlyFiles: false }),
  ].sort()
  const count: Count = { files: 0, jobs: 0, faults: 0, unknown: 0 }
  const { folder } = options
  const refused = options.refused.split(',')
  for (const project of projects) await readProject(project, { folder, refused, count })
  say(
    `${projects.length} projects, ${count.files} files, ${count.jobs} jobs, ${count.faults} faults, ${count.unknown} that ask for outputs of jobs`,
  )
  return projects.length >= Number(options.least) && count.faults === 0 ? 0 : 1
})
