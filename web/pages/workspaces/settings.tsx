import { getWorkspace, updateWorkspace } from '#features/workspaces/index.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Field, Form, FormActions, Select } from '../../components/form.tsx'
import { PageHead } from '../../components/layout.tsx'
import { workspacePath } from '../../paths.ts'
import { redirectWithFlash, form, page } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { Danger, Privileges } from './danger.tsx'
import { WorkspaceSettingsFrame } from './frame.tsx'
import { t, texts } from '../../text.ts'

export const BASE_PERMISSIONS = ['none', 'read', 'write', 'admin'] as const

const MEANING: Record<(typeof BASE_PERMISSIONS)[number], string> = texts({
  none: 'None: only what is public or granted',
  read: 'Read: see and clone everything',
  write: 'Write: push and merge everywhere',
  admin: 'Admin: manage every repository',
})

export const workspaceSettingsPage = page({
  path: '/:workspace/-/settings',
  load: async (visit) => {
    const workspace = await visit.call(getWorkspace, { workspace: visit.params.workspace ?? '' })
    return workspace.role === 'owner' ? workspace : null
  },
  view: (workspace, visit) => (
    <WorkspaceSettingsFrame
      visit={visit}
      workspace={workspace}
      title={t('Settings of {name}', { name: workspace.name })}
      part="general"
    >
      <PageHead title={t('Settings')} />
      <Card>
        <Form
          action={workspacePath(workspace.slug, 'settings')}
          csrf={visit.csrf}
          error={
            visit.form.values.has('base_permission')
              ? formError(visit, 'name', 'description', 'base_permission')
              : null
          }
        >
          <Field
            name="name"
            label={t('Name')}
            maxlength={80}
            value={visit.form.values.optional('name') ?? workspace.name}
            error={fieldError(visit, 'name')}
          />
          <Field
            name="description"
            label={t('Description')}
            maxlength={160}
            value={
              visit.form.values.has('description')
                ? visit.form.values.text('description')
                : workspace.description
            }
            error={fieldError(visit, 'description')}
          />
          <Select
            name="base_permission"
            label={t('Base permission of members')}
            required
            options={BASE_PERMISSIONS.map((value) => ({ value, label: MEANING[value] }))}
            value={visit.form.values.optional('base_permission') ?? workspace.base_permission}
            error={fieldError(visit, 'base_permission')}
          />
          <FormActions>
            <Button variant="primary">{t('Save')}</Button>
          </FormActions>
        </Form>
      </Card>
      <Privileges visit={visit} workspace={workspace} />
      <Danger visit={visit} workspace={workspace} />
    </WorkspaceSettingsFrame>
  ),
})

export const workspaceSettingsForm = form({
  path: '/:workspace/-/settings',
  page: workspaceSettingsPage,
  operation: updateWorkspace,
  input: (fields, { params }) => ({
    workspace: params.workspace ?? '',
    name: fields.text('name'),
    description: fields.text('description'),
    base_permission: BASE_PERMISSIONS.find((word) => word === fields.text('base_permission')),
  }),
  done: (workspace, visit) =>
    redirectWithFlash(visit, workspacePath(workspace.slug, 'settings'), 'saved'),
})
