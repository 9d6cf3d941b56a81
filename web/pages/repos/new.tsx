import { createRepo } from '#features/repos/index.ts'
import { listWorkspaces } from '#features/workspaces/index.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Card, EmptyState } from '../../components/card.tsx'
import { Field, FieldSet, Form, FormActions, Radio, Select } from '../../components/form.tsx'
import { PageHead } from '../../components/layout.tsx'
import { repoPath } from '../../paths.ts'
import { flashTo, form, page, redirect } from '../../site.ts'
import { fieldError, formError, Shell } from '../shell.tsx'

export const newRepoPage = page({
  path: '/new',
  load: async (visit) => (visit.viewer ? { workspaces: (await visit.call(listWorkspaces, { per_page: 100 })).items } : redirect('/login?next=/new', 302)),
  view: ({ workspaces }, visit) => {
    const typed = visit.form.values
    const isPrivate = typed.has('private') ? typed.text('private') === 'true' : visit.hearth.settings.private_by_default
    return (
      <Shell visit={visit} title="New repository" width="narrow">
        <PageHead title="New repository" />
        {workspaces.length === 0 ? (
          <EmptyState icon="workspace" title="A workspace comes first" actions={<LinkButton href="/workspaces/new" look="primary">Make a workspace</LinkButton>}>
            Repositories belong to workspaces.
          </EmptyState>
        ) : (
          <Card>
            <Form action="/new" csrf={visit.csrf} error={formError(visit, 'workspace', 'name', 'description', 'private')}>
              <Select
                name="workspace" label="Workspace" required options={workspaces.map(({ slug, name }) => ({ value: slug, label: name === slug ? slug : `${name} (${slug})` }))}
                value={typed.optional('workspace') ?? visit.url.searchParams.get('workspace')} error={fieldError(visit, 'workspace')}
              />
              <Field name="name" label="Name" required mono autofocus maxlength={100} value={typed.text('name')} error={fieldError(visit, 'name')} />
              <Field name="description" label="Description" maxlength={350} value={typed.text('description')} error={fieldError(visit, 'description')} />
              <FieldSet legend="Who can see it" error={fieldError(visit, 'private')}>
                <Radio name="private" value="true" label="Private" hint="Members of the workspace and people you add." checked={isPrivate} />
                <Radio name="private" value="false" label="Public" hint="Everyone, without an account." checked={!isPrivate} />
              </FieldSet>
              <FormActions>
                <Button look="primary">Make the repository</Button>
              </FormActions>
            </Form>
          </Card>
        )}
      </Shell>
    )
  },
})

export const newRepoForm = form({
  path: '/new',
  page: newRepoPage,
  operation: createRepo,
  input: (fields) => ({
    workspace: fields.optional('workspace'), name: fields.text('name').trim(), description: fields.optional('description'),
    ...(fields.has('private') ? { private: fields.ticked('private') } : {}),
  }),
  done: (repo, visit) => flashTo(visit, repoPath(repo.full_name), 'repo-made'),
})
