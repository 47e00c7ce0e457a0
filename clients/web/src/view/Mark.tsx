/** The name of the service, which stands first on every page. */
export function Mark() {
  return (
    <p class="mark">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M4 21V10a8 8 0 0 1 16 0v11" />
        <path class="bar" d="M12 21v-8" />
      </svg>
      <span>Fairgate</span>
    </p>
  )
}
