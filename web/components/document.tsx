// PDF documents. The script adds a frame with the PDF viewer of the browser (`client/documents.ts`);
// without it, and where the browser has no viewer, the link opens or saves the file.
import { LinkButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { rich, t } from '../text.ts'

export const DocumentLink = ({ href, facts }: { href: string; facts: string }) => (
  <div class="binary" data-document={href}>
    <Icon name="file" size={24} />
    <p>{rich('PDF document, {bytes}', { bytes: facts })}</p>
    <LinkButton href={href}>{t('Open document')}</LinkButton>
  </div>
)

const Version = ({ title, href }: { title: string; href: string }) => (
  <figure class="document-version">
    <div class="binary" data-document={href}>
      <LinkButton href={href}>{t('Open document')}</LinkButton>
    </div>
    <figcaption>
      <strong>{title}</strong>
    </figcaption>
  </figure>
)

/** The versions of a document in a change, beside each other. */
export const DocumentDiff = ({
  before,
  after,
}: {
  before: string | null
  after: string | null
}) => (
  <div class="document-diff">
    {before !== null && (
      <Version title={after === null ? t('Removed') : t('Before')} href={before} />
    )}
    {after !== null && <Version title={before === null ? t('Added') : t('After')} href={after} />}
  </div>
)
