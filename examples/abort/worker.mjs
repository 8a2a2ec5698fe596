export default function work(howLong) {
  while (howLong === 'forever');
  return 'done';
}
