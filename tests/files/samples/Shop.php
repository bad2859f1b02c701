<?php

declare(strict_types=1);

/**
 * Orders of a shop.
 *
 * @copyright Shop
 */

namespace Example\Shop;

use Example\Stock\Shelf as Rack;
use Example\Tools\{Hammer, Saw\Fine};
use function Example\helper;

require_once __DIR__ . '/boot.php';
include 'extra.php';

/** A shop. */
#[Service]
abstract class Shop extends Base implements Open, Closed
{
    use Counted;

    public const MAX = 16;
    private ?string $name = null;
    public static int $count = 0;

    public function __construct(private readonly int $id, string $title = 'x') {}

    /** Finds it. */
    public static function find(array $ids = [], int ...$rest): ?self
    {
        return null;
    }

    abstract protected function hidden(): void;
    function open() {}
}

interface Open { public function open(int $how): bool; }
trait Counted { public function count(): int { return 0; } }
enum State: string { case Open = 'o'; case Closed = 'c'; public function label(): string { return ''; } }

function total(array $orders): int { return 0; }
const LIMIT = 3;
define('SHOP_VERSION', '1.2');
if (!function_exists('late')) { function late() {} }
