{-# LANGUAGE GADTs #-}
-- | Orders of a shop.
module Shop.Orders (Order(..), find, (<+>), Priced(..)) where

import qualified Data.Map as M
import Shop.Stock (Item)

-- | An order.
data Order a = Order { number :: Int, items :: [a] } | Empty
  deriving (Show)
newtype Price = Price Int
type Key = String

-- | What has a price.
class Eq a => Priced a where
  price :: a -> Int
  price _ = 1

instance Priced Price where
  price (Price n) = n

-- | Finds an order.
find, search :: Key -> Maybe (Order a)
find "" = Nothing
find key = go key
  where
    go k = Just Empty
search = find

hidden a b = a

infixl 5 <+>
a <+> b = a

main :: IO ()
main = pure ()
