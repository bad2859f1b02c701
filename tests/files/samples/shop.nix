# Settings of a shop.
{ config, lib, ... }:
let
  # Where orders lie.
  folder = "/var/shop";
  price = order: order.price * 2;
  inherit (lib) mkIf;
in
{
  imports = [ ./stock.nix ];
  options.services.shop = {
    enable = true;
  };
  config = lib.mkIf true { a.b = import ./b.nix; };
}
