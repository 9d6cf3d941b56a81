import { createWorkspace } from '#features/workspaces/index.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Field, Form, FormActions } from '../../components/form.tsx'
import { PageHead } from '../../components/layout.tsx'
import { workspacePath } from '../../paths.ts'
import { redirectWithFlash, form, page, redirect } from '../../site.ts'
import { fieldError, formError, Shell } from '../shell.tsx'
import { t } from '../../text.ts'

export const newWorkspacePage = page({
  path: '/workspaces/new',
  load: ({ viewer }) => (viewer ? {} : redirect('/login?next=/workspaces/new', 302)),
  view: (_, visit) => (
    <Shell visit={visit} title={t('New workspace')} width="narrow">
      <PageHead
        title={t('New workspace')}
        lead={t('A workspace owns repositories and is the first part of their address.')}
      />
      <Card>
        <Form action="/workspaces/new" csrf={visit.csrf} error={formError(visit, 'slug', 'name')}>
          <Field
            name="slug"
            label={t('Address')}
            required
            mono
            autofocus
            maxlength={39}
            hint={t('Lowercase letters, digits and single hyphens.')}
            value={visit.form.values.text('slug')}
            error={fieldError(visit, 'slug')}
          />
          <Field
            name="name"
            label={t('Name')}
            maxlength={80}
            hint={t('Shown to people. The address when left empty.')}
            value={visit.form.values.text('name')}
            error={fieldError(visit, 'name')}
          />
          <FormActions>
            <Button variant="primary">{t('Create workspace')}</Button>
          </FormActions>
        </Form>
      </Card>
    </Shell>
  ),
})

export const newWorkspaceForm = form({
  path: '/workspaces/new',
  page: newWorkspacePage,
  operation: createWorkspace,
  input: (fields) => ({ slug: fields.text('slug').trim(), name: fields.optional('name') }),
  done: (workspace, visit) =>
    redirectWithFlash(visit, workspacePath(workspace.slug), 'workspace-made'),
})
