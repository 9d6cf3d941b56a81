import { MAX_WORKFLOW_LENGTH, WorkflowReader, type Problem } from '#actions'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { CommandError, type Command } from './command.ts'

/** The first folder that exists counts, as on the forge. */
const FOLDERS = ['.hearth/workflows', '.github/workflows']

const isWorkflow = (name: string): boolean => /\.ya?ml$/i.test(name)

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter(isWorkflow)
    .sort()
    .map((name) => join(folder, name))
}

/** The workflow files of a folder: those in it, or those of the repository that it is. */
function filesOf(path: string): string[] {
  if (!existsSync(path)) throw new CommandError(`${path} does not exist`)
  if (!statSync(path).isDirectory()) return [path]
  const folder = FOLDERS.map((name) => join(path, name)).find((one) => existsSync(one))
  const files = filesIn(folder ?? path)
  if (files.length === 0)
    throw new CommandError(`${path} has no workflow files; they belong in ${FOLDERS.join(' or ')}`)
  return files
}

const line = ({ file, line, column, text }: Problem, kind: string): string =>
  `${file}:${line}:${column}: ${kind}${text}\n`

export const checkWorkflows: Command = {
  name: 'check-workflows',
  summary: `Reads workflow files and prints what is wrong, one line each: file:line:column: text

  Without a path it reads the files of the repository in this folder (.hearth/workflows, else
  .github/workflows). A path is a file, or a folder. The exit status is 1 when a file has errors.
  Parts that are valid and have no effect here are printed as warnings.`,
  brief: 'Checks workflow files and prints their errors with line and column.',
  args: ['[PATH...]'],
  flags: { quiet: { help: 'Prints errors only, no warnings and no sum.' } },

  run: async ({ args, flags }) => {
    const files = [...new Set((args.length === 0 ? ['.'] : args).flatMap(filesOf))]
    const reader = new WorkflowReader()
    let errors = 0
    try {
      for (const file of files) {
        const name = relative('.', file) || file
        // One character more than is read, so that the reader says that the file is too long.
        const text = await Bun.file(file)
          .slice(0, MAX_WORKFLOW_LENGTH + 1)
          .text()
        const { workflow, problems } = await reader.read(text, name)
        for (const problem of problems) process.stdout.write(line(problem, ''))
        if (!flags.quiet)
          for (const warning of workflow?.warnings ?? [])
            process.stdout.write(line(warning, 'warning: '))
        errors += problems.length > 0 ? 1 : 0
      }
    } finally {
      await reader.close()
    }
    if (!flags.quiet)
      process.stdout.write(
        errors === 0
          ? `${files.length} ${files.length === 1 ? 'file is' : 'files are'} valid\n`
          : `${errors} of ${files.length} ${files.length === 1 ? 'file has' : 'files have'} errors\n`,
      )
    return errors === 0 ? 0 : 1
  },
}
