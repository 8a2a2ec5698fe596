export default function busy(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
