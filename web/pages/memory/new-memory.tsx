// The form for a new memory: of a repository, of a workspace, or from a pull request.
import { remember, type MemoryScope } from '#features/memory/index.ts'
import { Button, Card, Field, Form, FormActions, Select, TextArea } from '../../components/index.ts'
import type { Fields, Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { fieldError, formError } from '../shell.tsx'
import { kindOf, kindOptions } from './kinds.ts'

/** Whether the form of this page was refused. Forms that change a memory send its id. */
export const isRefused = ({ form: { error, values } }: Visit): boolean =>
  error !== null && values.has('text') && values.has('kind') && !values.has('id')

const Level = ({ value }: { value: string }) => (
  <Select
    name="scope"
    label={t('Level')}
    required
    value={value}
    options={[
      { value: 'project', label: t('This repository') },
      { value: 'workspace', label: t('All repositories of the workspace') },
    ]}
  />
)

/** `scope` is the level of the page; a page without one lets people choose. */
export const NewMemoryForm = ({
  visit,
  action,
  scope,
}: {
  visit: Visit
  action: string
  scope?: MemoryScope
}) => {
  const typed = isRefused(visit)
  const value = (name: string, other = ''): string => (typed ? visit.form.values.text(name) : other)
  const error = (name: string): string | null => (typed ? fieldError(visit, name) : null)
  return (
    <Form
      action={action}
      csrf={visit.csrf}
      error={typed ? formError(visit, 'text', 'paths') : null}
      label={t('New memory')}
    >
      <TextArea
        name="text"
        label={t('Text')}
        required
        rows={3}
        maxlength={2000}
        placeholder={t('The tests of the parser need the fixture server on port 9000.')}
        value={value('text')}
        error={error('text')}
        hint={t('One fact that makes sense by itself. Everyone who can read this page reads it.')}
      />
      <Select
        name="kind"
        label={t('Kind')}
        required
        value={value('kind', 'fact')}
        options={kindOptions()}
      />
      {scope === undefined && <Level value={value('scope', 'project')} />}
      {scope !== 'workspace' && (
        <Field
          name="paths"
          label={t('Files')}
          mono
          autocomplete="off"
          value={value('paths')}
          error={error('paths')}
          hint={t('Up to five files that it is about. It is marked when they change.')}
        />
      )}
      <FormActions>
        <Button variant="primary" icon="plus">
          {t('Add memory')}
        </Button>
      </FormActions>
    </Form>
  )
}

/** The same in a card, for pages of memories. */
export const NewMemory = (props: Parameters<typeof NewMemoryForm>[0]) => (
  <Card title={t('New memory')}>
    <NewMemoryForm {...props} />
  </Card>
)

/** Remembers what the form says, and returns the flash that tells so. */
export async function submitMemory(
  visit: Visit,
  fields: Fields,
  { repo, ...more }: { repo: string; scope?: MemoryScope; pull?: number },
): Promise<'memory-known' | 'memory-added'> {
  const { existing } = await visit.call(remember, {
    repo,
    text: fields.text('text'),
    kind: kindOf(fields),
    scope: fields.text('scope') === 'workspace' ? 'workspace' : 'project',
    paths: fields.list('paths', /[,\r\n]/),
    ...more,
  })
  return existing ? 'memory-known' : 'memory-added'
}
