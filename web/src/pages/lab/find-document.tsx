import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { FormErrors } from '../../components/form-errors.tsx'
import { useForm } from '../../schema-form/form.ts'
import { ApiError } from '../../service/errors.ts'
import { type Api, useApi } from '../../service/session.ts'
import type { ResponseOf } from '../../service/types.ts'
import { documentTexts } from '../../texts/documents.ts'
import { connectorTypesQuery } from '../connectors/queries.ts'
import { isAddress, recordIdsIn } from './record-address.ts'
import { spaceWords } from './value-words.ts'

const texts = documentTexts.find
/** The service finds no shorter titles. */
const MIN_TITLE = 2

const schema = z.object({ document: z.string().trim().min(1, texts.missing) })

type Found = ResponseOf<'GET /api/v1/documents/find'>[number]
type Props = { initial?: string; action: string; onFind: (recordId: string) => unknown }

/** Finds a document by its title, address or record id; several with the title are a choice. */
export function FindDocument({ initial = '', action, onFind }: Props) {
  const api = useApi()
  const client = useQueryClient()
  const [choices, setChoices] = useState<Found[]>([])
  const form = useForm({
    schema,
    initial: { document: initial },
    submit: async ({ document }) => {
      if (isAddress(document)) {
        const types = await client.ensureQueryData(connectorTypesQuery(api))
        const ids = recordIdsIn(
          document,
          types.flatMap((type) => type.document_addresses),
        )
        const id = await firstKnown(api, ids)
        if (id === undefined) throw new Error(texts.noId)
        return onFind(id)
      }
      const found = await titled(api, document)
      setChoices(found.length > 1 ? found : [])
      if (found.length <= 1) await onFind(found[0]?.record_id ?? document)
    },
  })
  return (
    <Stack gap="sm" maw={720}>
      <form {...form.form} aria-label={action}>
        <Group gap="sm" align="flex-start">
          <TextInput
            label={texts.field}
            autoComplete="off"
            flex="1 1 280px"
            ta="start"
            {...form.field('document')}
          />
          <Button type="submit" variant="default" mt={{ base: 0, xs: 25 }} loading={form.sending}>
            {action}
          </Button>
        </Group>
      </form>
      <FormErrors failure={form.failure} />
      {choices.length > 0 ? (
        <div role="status">
          <Text size="sm">{texts.choose(choices.length)}</Text>
          <ul aria-label={texts.choices}>
            {choices.map(({ record_id: id, title, space_key: key, space_name: name }) => (
              <li key={id}>
                <Anchor component="button" type="button" ta="start" onClick={() => onFind(id)}>
                  {title}
                </Anchor>{' '}
                <Text span size="sm" c="dimmed">
                  {spaceWords(key, name)}
                </Text>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </Stack>
  )
}

/** One document if it alone has exactly this title. */
async function titled(api: Api, title: string): Promise<Found[]> {
  if (title.length < MIN_TITLE) return []
  const found = await api.get<Found[]>('/documents/find', { query: { title } })
  const equal = found.filter((each) => each.title.toLowerCase() === title.toLowerCase())
  return equal.length === 1 ? equal : found
}

/** An address can match two record ids; uses the known one. */
async function firstKnown(api: Api, ids: string[]): Promise<string | undefined> {
  const [first, ...others] = ids
  if (others.length === 0) return first
  try {
    await api.get('/documents', { query: { record_id: first } })
    return first
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    return firstKnown(api, others)
  }
}
