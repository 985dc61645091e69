import { Combobox, Pill, PillsInput, Text, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type FailedQuery, QueryFailure } from '../../components/query-failure.tsx'
import { useRememberName } from '../../service/names.ts'
import { useApi } from '../../service/session.ts'
import { labTexts } from '../../texts/lab.ts'
import { useLab } from './lab-context.ts'
import classes from './lab-form.module.css'
import { peopleQuery, usePersonNames } from './people.ts'
import { isSamePerson, MAX_PEOPLE } from './person.ts'
import type { Person } from './types.ts'

const texts = labTexts.people
const DEBOUNCE_MS = 250
// As many as fit; typing more narrows them.
const MAX_OPTIONS = 6

type Props = { people: Person[]; onChange: (people: Person[]) => void }

/** Up to three people as chips; one field adds them by name or account id. */
export function PeopleBox({ people, onChange }: Props) {
  const { destination } = useLab()
  const remember = useRememberName(destination.id)
  const names = usePersonNames(people)
  const [typed, setTyped] = useState('')
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const { options, isSearching, found } = usePeopleOptions(typed.trim(), people)
  const isFailed = found.isError && !isSearching
  const isFull = people.length >= MAX_PEOPLE
  // Enter before the people arrive adds the first of them.
  const [isWaiting, setWaiting] = useState(false)
  const firstId = isSearching ? undefined : options[0]?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once the people are known.
  useEffect(() => {
    if (!isWaiting || firstId === undefined) return
    setWaiting(false)
    add(firstId)
  }, [isWaiting, firstId])

  function add(id: string): void {
    const name = options.find((option) => option.id === id)?.name
    if (name) remember(id, name)
    setTyped('')
    combobox.closeDropdown()
    if (!people.some((person) => isSamePerson(person, { user: id }))) onChange([...people, { user: id }])
  }

  return (
    <Combobox store={combobox} onOptionSubmit={add} withinPortal={false}>
      <Combobox.DropdownTarget>
        <PillsInput
          label={texts.label}
          classNames={{ input: classes.frame }}
          {...(isFull ? { description: texts.most } : {})}
          inputWrapperOrder={['label', 'input', 'description']}
        >
          <Pill.Group>
            {people.map((person, index) => (
              <PersonPill
                key={JSON.stringify(person)}
                person={person}
                name={names[index]}
                onRemove={() => onChange(people.filter((each) => each !== person))}
              />
            ))}
            <Combobox.EventsTarget withExpandedAttribute>
              <PillsInput.Field
                role="combobox"
                name="people"
                className={classes.field}
                autoComplete="off"
                placeholder={people.length === 0 ? texts.placeholderSelf : isFull ? '' : texts.placeholder}
                readOnly={isFull}
                value={typed}
                onFocus={() => (isFull ? undefined : combobox.openDropdown())}
                onClick={() => (isFull ? undefined : combobox.openDropdown())}
                onBlur={() => combobox.closeDropdown()}
                onChange={(event) => {
                  setWaiting(false)
                  setTyped(event.currentTarget.value)
                  combobox.openDropdown()
                  combobox.updateSelectedOptionIndex()
                }}
                onKeyDown={(event) => {
                  if (event.key === 'Backspace' && typed === '' && people.length > 0)
                    onChange(people.slice(0, -1))
                  if (event.key !== 'Enter' || typed.trim() === '') return
                  // Adds the first match instead of sending the form.
                  event.preventDefault()
                  if (combobox.getSelectedOptionIndex() < 0) setWaiting(true)
                }}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown hidden={isFull}>
        <Combobox.Options aria-label={texts.label}>
          {options.map((option) => (
            <Combobox.Option key={option.id} value={option.id}>
              <PersonName option={option} />
            </Combobox.Option>
          ))}
          {options.length === 0 && !isFailed ? (
            <Combobox.Empty>{isSearching ? texts.searching : texts.none}</Combobox.Empty>
          ) : null}
        </Combobox.Options>
        {isFailed ? (
          // A press keeps the focus in the field, so that the list stays open.
          <Combobox.Footer onMouseDown={(event) => event.preventDefault()}>
            <QueryFailure query={found} />
          </Combobox.Footer>
        ) : null}
      </Combobox.Dropdown>
    </Combobox>
  )
}

type PersonPillProps = { person: Person; name: string | undefined; onRemove: () => void }

function PersonPill({ person, name, onRemove }: PersonPillProps) {
  return (
    <Pill
      withRemoveButton
      size="md"
      className={classes.pill}
      title={person.user}
      removeButtonProps={{
        'aria-hidden': undefined,
        'aria-label': texts.remove(name ?? ''),
        tabIndex: 0,
      }}
      onRemove={onRemove}
    >
      {name}
    </Pill>
  )
}

function PersonName({ option: { id, name, isTyped } }: { option: PersonOption }) {
  return (
    <>
      <Text size="sm">{isTyped ? texts.use(id) : (name ?? texts.unnamed)}</Text>
      {isTyped ? null : (
        <Text size="xs" c="dimmed" className="mono">
          {id}
        </Text>
      )}
    </>
  )
}

type PersonOption = { id: string; name: string | null; isTyped: boolean }

/** People whom the source finds, then the typed text as an account id. */
function usePeopleOptions(
  typed: string,
  chosen: readonly Person[],
): { options: PersonOption[]; isSearching: boolean; found: FailedQuery & { isError: boolean } } {
  const api = useApi()
  const { destination } = useLab()
  const [text] = useDebouncedValue(typed, DEBOUNCE_MS)
  const found = useQuery(peopleQuery(api, destination.id, text))
  const isSearching = text !== typed || found.isFetching
  const people = (found.data?.people ?? [])
    .filter(({ id }) => !chosen.some((person) => isSamePerson(person, { user: id })))
    .slice(0, MAX_OPTIONS)
    .map((person) => ({ ...person, isTyped: false }))
  if (isSearching || typed === '' || people.some(({ id }) => id === typed))
    return { options: isSearching ? [] : people, isSearching, found }
  return { options: [...people, { id: typed, name: null, isTyped: true }], isSearching, found }
}
