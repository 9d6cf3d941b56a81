import { endRedirect, listRedirects, redirectWorkspace } from '#features/accounts/index.ts'
import { DATA_FLAGS, UsageError, type Command } from './command.ts'
import { withHearth } from './open.ts'
import { say } from './terminal.ts'

export const redirect: Command = {
  name: 'redirect',
  summary: `Leads every address of a workspace that moved to another Hearth there: pages, git, REST, packages and images. A server may run
meanwhile.

  WORKSPACE ADDRESS   from now on nothing of the workspace can be read or changed here. Give it before hearth export, so that no change
                      is lost between the archive and its import
  WORKSPACE none      ends that
  without arguments   lists what leads where

ADDRESS is that of the workspace there: https://git.example.com/acme. SSH cannot be redirected, and names the address instead.`,
  brief: 'Leads the addresses of a workspace that moved to the forge that has it.',
  args: ['[WORKSPACE]', '[ADDRESS|none]'],
  flags: DATA_FLAGS,

  run: async ({ args: [slug, address], flags }) => {
    if (slug === undefined) {
      const redirects = await withHearth(flags, (hearth) => Promise.resolve(listRedirects(hearth)))
      for (const [name, target] of redirects) say(`${name} ${target}`)
      return
    }
    if (address === undefined)
      throw new UsageError('usage: hearth redirect WORKSPACE ADDRESS, or none to end it')
    const name = slug.toLowerCase()
    if (address === 'none') {
      await withHearth(flags, (hearth) => endRedirect(hearth, name))
      say(`${name} leads nowhere else any more`)
      return
    }
    const target = await withHearth(flags, (hearth) => redirectWorkspace(hearth, name, address))
    say(`${name} leads to ${target}`)
  },
}
