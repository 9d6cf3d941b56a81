// The forms about a workspace as a whole. They are separate from danger.tsx, which the settings
// page imports.
import {
  deleteWorkspace,
  renameWorkspace,
  setMemberPrivileges,
} from '#features/workspaces/index.ts'
import { workspacePath } from '../../paths.ts'
import { action, redirectWithFlash, form, type Visit } from '../../site.ts'
import { TICKS } from './danger.tsx'
import { workspaceSettingsPage } from './settings.tsx'

const slugOf = (visit: Visit): string => visit.params.workspace ?? ''

const privilegesForm = form({
  path: '/:workspace/-/settings/privileges',
  page: workspaceSettingsPage,
  operation: setMemberPrivileges,
  input: (fields, visit) => ({
    workspace: slugOf(visit),
    package_creation:
      fields.text('package_creation') === 'owners' ? ('owners' as const) : ('members' as const),
    team_creation:
      fields.text('team_creation') === 'owners' ? ('owners' as const) : ('members' as const),
    ...(Object.fromEntries(TICKS.map(([name]) => [name, fields.ticked(name)])) as Record<
      (typeof TICKS)[number][0],
      boolean
    >),
  }),
  done: ({ slug }, visit) => redirectWithFlash(visit, workspacePath(slug, 'settings'), 'saved'),
})

const renameForm = form({
  path: '/:workspace/-/settings/rename',
  page: workspaceSettingsPage,
  operation: renameWorkspace,
  input: (fields, visit) => ({ workspace: slugOf(visit), slug: fields.text('slug').trim() }),
  done: ({ slug }, visit) => redirectWithFlash(visit, workspacePath(slug, 'settings'), 'saved'),
})

const deleteForm = action({
  path: '/:workspace/-/settings/delete',
  page: workspaceSettingsPage,
  submit: async (visit, fields) => {
    await visit.call(deleteWorkspace, {
      workspace: slugOf(visit),
      confirm: fields.text('confirm').trim(),
    })
    return redirectWithFlash(visit, '/', 'workspace-deleted')
  },
})

export const workspaceDangerForms = [privilegesForm, renameForm, deleteForm]
