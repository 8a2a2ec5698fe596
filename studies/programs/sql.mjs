/** 20,000 rows, the same in every process. */
export const TABLE = `
  CREATE TABLE item AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 20000)
  SELECT id, (id * 7919) % 10007 AS price, 'item ' || ((id * 31) % 997) AS name FROM n`;

/** Reads the whole table: some milliseconds. */
export const QUERY =
  'SELECT name, count(*) AS items, avg(price) AS price FROM item WHERE price > ? GROUP BY name LIMIT 10';
