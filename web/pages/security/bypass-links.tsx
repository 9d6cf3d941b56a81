// The way past push protection, beside a form whose commit was refused.
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'

type Finding = { readonly path?: unknown; readonly line?: unknown; readonly url?: unknown }

/** Only people who may bypass get an address. It opens beside the form, so what was typed stays. */
export const BypassLinks = ({ visit }: { visit: Visit }) => {
  const error = visit.form.error
  if (error?.reason !== 'push_protection' || !Array.isArray(error.details?.findings)) return null
  const findings = (error.details.findings as readonly Finding[]).filter(
    ({ url }) => typeof url === 'string',
  )
  if (findings.length === 0) return null
  return (
    <ul>
      {findings.map(({ path, line, url }) => (
        <li>
          <a href={String(url)} target="_blank" rel="noopener">
            {t('Bypass push protection for {place}', {
              place: `${String(path)}:${String(line)}`,
            })}
          </a>
        </li>
      ))}
      <li>{t('Then save again, within three hours.')}</li>
    </ul>
  )
}
